# SPDX-License-Identifier: MIT
# Completion of loom's command line for bash. Commands and options are asked of loom itself, so
# they are those of the version that is installed.

_loom() {
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}

	compopt -o filenames -o bashdefault -o default 2>/dev/null
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ] || { [ "$COMP_CWORD" = 2 ] && [ "$command" = help ]; }; then
		mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" help 2>/dev/null |
			sed -n 's/^  \([a-z]*\)  .*/\1/p')" -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" help "$command" 2>/dev/null |
			sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')" -- "$word")
	fi
}
complete -F _loom loom
