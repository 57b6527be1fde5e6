# SPDX-License-Identifier: MIT
# Completion of loom's command line for fish; see loom.bash.

function __loom_commands
	loom help 2>/dev/null | string replace -rf '^  ([a-z]+)  +(.*)' '$1\t$2'
end

function __loom_options
	set -l words (commandline -opc)
	loom help $words[2] 2>/dev/null | string replace -rf '^  (?:-., )?(--[a-z-]+)[^ ]*(.*)' '$1\t$2'
end

complete -c loom -n 'test (count (commandline -opc)) -eq 1' -f -a '(__loom_commands)'
complete -c loom -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' -a '(__loom_options)'
