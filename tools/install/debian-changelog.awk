#!/usr/bin/awk -f
# SPDX-License-Identifier: MIT
#
# debian/changelog out of Documentation/CHANGELOG.rst: a chapter "VERSION (YYYY-MM-DD)" each, of which
# the items become lines. The first has to be of the version that is given.
#
#	debian-changelog.awk -v version=0.3.0 Documentation/CHANGELOG.rst

function fail(text)
{
	print FILENAME ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

# RFC 5322, at midnight: the time of a release is that of its date
function date(text,    part, day, command, line)
{
	command = "LC_ALL=C TZ=UTC date -R -d " text
	if ((command | getline line) <= 0)
		fail("no date: " text)
	close(command)
	return line
}

function end_of_chapter()
{
	end_of_item()
	if (chapter)
		printf "\n -- Loom developers <dri-devel@lists.freedesktop.org>  %s\n", chapter
}

/^[0-9]+\.[0-9]+\.[0-9]+ \([0-9]+-[0-9]+-[0-9]+\)$/ {
	if (!chapter && $1 != version)
		fail("the first chapter is of " $1 ", the header of " version)
	end_of_chapter()
	printf "%sloom (%s) unstable; urgency=medium\n\n", chapter ? "\n" : "", $1
	chapter = date(substr($2, 2, length($2) - 2))
	next
}

# markup is for the pages; lines are of 80 columns
function end_of_item(    n, i, word, line)
{
	n = split(item, word, " ")
	line = "  *"
	for (i = 1; i <= n; i++) {
		if (length(line " " word[i]) > 79) {
			print line
			line = "   "
		}
		line = line " " word[i]
	}
	if (n)
		print line
	item = ""
}

chapter && /^\* / {
	end_of_item()
}

chapter && /^(\*| ) / {
	gsub(/``/, "")
	gsub(/:[a-z]+:`/, "")
	gsub(/`/, "")
	item = item " " substr($0, 3)
}

END {
	if (failed)
		exit 1
	if (!chapter)
		fail("no chapter of a version")
	end_of_chapter()
}
