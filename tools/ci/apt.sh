# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by those who fetch packages of Debian by name, without installing them and without root:
# through a package list of their own, with the mirror, proxy and keys of this machine's sources. This
# tree names none.

key=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints the Debian mirror that this machine's /etc/apt names: the first archive of the distribution's
# own suite, security updates aside. Nothing where there is none.
mirror() {
	{
		cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk '
			BEGIN { RS = ""; FS = "\n" }
			{
				types = uri = suites = ""
				for (i = 1; i <= NF; i++) {
					split($i, word, /[ \t]+/)
					if (word[1] == "Types:") types = $i
					if (word[1] == "URIs:") uri = word[2]
					if (word[1] == "Suites:") suites = word[2]
				}
				if (types ~ /deb/ && uri ~ /\/debian\/?$/ && suites !~ /security/) print uri
			}'
		cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
			sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\/debian\/\{0,1\}\) .*/\2/p'
	} | head -n 1
}

# apt_begin FOLDER URI SUITE...: from here on get() has these, with lists in FOLDER
apt_begin() {
	apt=$1
	uri=$2
	shift 2
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	for suite; do
		echo "deb [signed-by=$key] $uri $suite main"
	done >"$apt/sources.list"
	: >"$apt/status"
}

# get PROGRAM ARG...: a program of apt
get() {
	program=$1
	shift
	"$program" -qq -o Dir::State="$apt" -o Dir::State::status="$apt/status" \
		-o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" \
		-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
		-o Acquire::Languages=none -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false \
		-o APT::Sandbox::User="$(id -un)" "$@"
}
