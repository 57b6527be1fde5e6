#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the Debian mirror that this machine's /etc/apt names: the first archive of the
# distribution's own suite, security updates aside. Nothing where there is none. This tree names none.
set -eu

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
