# SPDX-License-Identifier: MIT
# Files of chips as C source: awk -f embed-chips.awk FILE.yaml... The name of a chip is its file's.
BEGIN {
	print "#include \"chip/embedded.h\"\n"
	print "const struct loom_chip_embedded loom_chips_embedded[] = {"
}
FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.yaml$/, "", name)
	printf "\t{ \"%s\",\n", name
}
{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\t\t\"%s\\n\"\n", $0
}
END {
	print "\t},\n\t{ 0, 0 },\n};"
}
