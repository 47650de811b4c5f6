# SPDX-License-Identifier: MIT
# Completion of the program coexec in bash. What it offers it asks `coexec help` for; behind a program it completes as that one's.
_coexec() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} coexec=${COMP_WORDS[0]} sub=${COMP_WORDS[1]} at
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$coexec" help 2>/dev/null | awk '/^  [a-z]/ { print $1 }')" -- "$word")
        return
    fi
    if [ "$sub" = run ] || [ "$sub" = power ] || [ "$sub" = tune ]; then # the program's own words begin behind it
        for ((at = 2; at < COMP_CWORD; at++)); do
            case ${COMP_WORDS[at]} in
            --algo | --algos | --by | --devices | --trace | --set | --period | --idle | --json | --runs | --limit) ((at++)) ;;
            --) ((at++)); break ;;
            -*) ;;
            *) break ;;
            esac
        done
        if ((at < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
            _command_offset "$at"
            return
        fi
    fi
    case $before in
    --algo) mapfile -t COMPREPLY < <(compgen -W "single static dynamic hguided adaptive sigmoid logfit concord hdss marrow auto" -- "$word") ;;
    --by) mapfile -t COMPREPLY < <(compgen -W "process launches" -- "$word") ;;
    --devices) mapfile -t COMPREPLY < <(compgen -W "all cpu gpu accelerator" -- "$word") ;;
    --set)
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "$("$coexec" help options 2>/dev/null | awk '{ print $1 }')" -- "$word")
        ;;
    top) mapfile -t COMPREPLY < <(compgen -W "$("$coexec" top --once --interval 0.05 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { print $1 }') --once --json --interval" -- "$word") ;;
    knowledge) mapfile -t COMPREPLY < <(compgen -W "list predict export import forget check where" -- "$word") ;;
    help) mapfile -t COMPREPLY < <(compgen -W "options $("$coexec" help 2>/dev/null | awk '/^  [a-z]/ { print $1 }')" -- "$word") ;;
    *)
        if [[ $word == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "-- $("$coexec" help "$sub" 2>/dev/null | grep -oE '(^|[ [])--[a-z-]+' | tr -d ' [' | sort -u)" -- "$word")
        elif [ "$sub" = run ] || [ "$sub" = power ] || [ "$sub" = tune ]; then
            mapfile -t COMPREPLY < <(compgen -A command -- "$word"; compgen -A file -- "$word")
        else
            compopt -o default
        fi
        ;;
    esac
}
complete -F _coexec coexec
