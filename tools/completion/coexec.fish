# SPDX-License-Identifier: MIT
# Completion of the program coexec in fish. What it offers it asks `coexec help` for.
complete -c coexec -n __fish_use_subcommand -f -a "(coexec help 2>/dev/null | awk '/^  [a-z]/ { print \$1 }')"
complete -c coexec -n "__fish_seen_subcommand_from help" -f -a "options (coexec help 2>/dev/null | awk '/^  [a-z]/ { print \$1 }')"
complete -c coexec -n "__fish_seen_subcommand_from run env" -l algo -x -a "single static dynamic hguided adaptive sigmoid logfit concord hdss marrow auto"
complete -c coexec -n "__fish_seen_subcommand_from run env" -l devices -x -a "all cpu gpu accelerator"
complete -c coexec -n "__fish_seen_subcommand_from run env" -l summary -d "say at the end what was gained; =full: more"
complete -c coexec -n "__fish_seen_subcommand_from run" -l live -d "show what it does while it runs"
complete -c coexec -n "__fish_seen_subcommand_from top" -f -a "(coexec top --once --interval 0.05 2>/dev/null | awk '\$1 ~ /^[0-9]+\$/ { print \$1 }')"
complete -c coexec -n "__fish_seen_subcommand_from top" -l once -l json -d "for programs"
complete -c coexec -n "__fish_seen_subcommand_from top" -l interval -x -d "seconds"
complete -c coexec -n "__fish_seen_subcommand_from run env" -l trace -r -d "write a timeline"
complete -c coexec -n "__fish_seen_subcommand_from run env" -l set -x -a "(coexec help options 2>/dev/null | awk '{ print \$1 }')"
complete -c coexec -n "__fish_seen_subcommand_from calibrate" -l seconds -x -d "for each measurement"
complete -c coexec -n "__fish_seen_subcommand_from power" -l period -x -d "milliseconds between samples"
complete -c coexec -n "__fish_seen_subcommand_from power" -l idle -x -d "first measure the idle machine, seconds"
complete -c coexec -n "__fish_seen_subcommand_from power" -l json -r -d "write the figures and the power over time"
complete -c coexec -n "__fish_seen_subcommand_from run power" -a "(__fish_complete_command)"
complete -c coexec -n "__fish_seen_subcommand_from info" -l json -l links
complete -c coexec -n "__fish_seen_subcommand_from knowledge" -a "list predict export import forget check where"
complete -c coexec -n "__fish_seen_subcommand_from knowledge" -l kernel -x -d "pattern of kernels' names"
complete -c coexec -n "__fish_seen_subcommand_from knowledge" -l size -x -d "N, NxM or NxMxK"
complete -c coexec -n "__fish_seen_subcommand_from knowledge" -l older -x -d "days"
complete -c coexec -n "__fish_seen_subcommand_from knowledge" -l all -l json
