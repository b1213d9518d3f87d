import type { Shell } from './shell.ts';

/** The script that a shell reads to complete the command lines of a program; it asks the program in PATH each time. */
export function completionScript(shell: Shell, program: string): string {
  // zsh calls the function by the name of the file that it is in; in bash's strict mode a name has no dash.
  const name = shell === 'zsh' ? program : program.replaceAll('-', '_');
  const words = { PROGRAM: program, FUNCTION: `_${name}`, '@{': '${' };
  return scripts[shell].replaceAll(/PROGRAM|FUNCTION|@\{/g, (word) => words[word as keyof typeof words]);
}

// In these texts "@{" is what a shell writes as "${", which means something else here.

// Readline breaks words at "=" and ":", and replaces what follows the last break only.
const bash = String.raw`# Completion of PROGRAM for bash 4.4 and newer: source <(PROGRAM completion bash)

FUNCTION_words() {
  # The words up to the cursor as the shell reads them, in the array "typed"; no expansion takes place.
  local line=$1 char quote='' word='' has_word=''
  local -i at
  typed=()
  for ((at = 0; at < @{#line}; at++)); do
    char=@{line:at:1}
    if [[ $quote == "'" ]]; then
      if [[ $char == "'" ]]; then quote=''; else word+=$char; fi
    elif [[ $char == '\' ]]; then
      at+=1; word+=@{line:at:1}; has_word=1
    elif [[ $quote == '"' ]]; then
      if [[ $char == '"' ]]; then quote=''; else word+=$char; fi
    elif [[ $char == [\'\"] ]]; then
      quote=$char; has_word=1
    elif [[ $char == [[:space:]] ]]; then
      if [[ -n $has_word ]]; then typed+=("$word"); fi
      word='' has_word=''
    elif [[ $char == [\;\&\|\(] ]]; then
      # Another command begins.
      typed=() word='' has_word=''
    else
      word+=$char; has_word=1
    fi
  done
  typed+=("$word")
}

FUNCTION() {
  local typed reply line word current broken
  FUNCTION_words "@{COMP_LINE:0:COMP_POINT}"
  current=@{typed[@{#typed[@]} - 1]}
  # What readline leaves in place of the word.
  broken=''
  if [[ $current == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then broken=@{current%"@{current##*[=:]}"}; fi
  COMPREPLY=()
  while [[ @{#typed[@]} -gt 0 && @{typed[0]} == [A-Za-z_]*=* ]]; do typed=("@{typed[@]:1}"); done
  while IFS= read -r line; do
    case $line in
      :files:*) compopt -o default -o bashdefault 2>/dev/null ;;
      :folders:*) compopt -o dirnames 2>/dev/null ;;
      *)
        word=@{line%%$'\t'*}
        if [[ $word == "$current"* ]]; then COMPREPLY+=("@{word#"$broken"}"); fi
        ;;
    esac
  done < <(command PROGRAM __complete -- "@{typed[@]:1}" 2>/dev/null </dev/null)
}

complete -F FUNCTION PROGRAM
`;

const zsh = String.raw`#compdef PROGRAM
# Completion of PROGRAM for zsh: source <(PROGRAM completion zsh), or this as a file _PROGRAM in a folder of $fpath

FUNCTION() {
  local line word paths
  local -a offered shown
  local -i start=0
  while IFS= read -r line; do
    case $line in
      :files:*) paths=files start=@{line##*:} ;;
      :folders:*) paths=folders start=@{line##*:} ;;
      *)
        word=@{line%%$'\t'*}
        offered+=("$word")
        if [[ $line == *$'\t'* ]]; then shown+=("$word  -- @{line#*$'\t'}"); else shown+=("$word"); fi
        ;;
    esac
  done < <(command PROGRAM __complete -- "@{(@Q)words[2,CURRENT-1]}" "@{(Q)PREFIX}" 2>/dev/null </dev/null)
  local -i code=1
  if (( $#offered )); then compadd -l -d shown -a offered && code=0; fi
  if [[ -n $paths ]]; then
    if (( start )); then compset -P '*='; fi
    if [[ $paths == folders ]]; then _path_files -/ && code=0; else _files && code=0; fi
  fi
  return code
}

if [[ $funcstack[1] == FUNCTION ]]; then FUNCTION "$@"; else compdef FUNCTION PROGRAM; fi
`;

const fish = String.raw`# Completion of PROGRAM for fish: PROGRAM completion fish | source

function __FUNCTION
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  for line in (command PROGRAM __complete -- $typed[2..-1] "$current" 2>/dev/null </dev/null)
    set -l parts (string split ':' -- $line)
    if string match -qr '^:(files|folders):\d+$' -- $line
      set -l before (string sub -l $parts[3] -- "$current")
      set -l path (string sub -s (math $parts[3] + 1) -- "$current")
      if test $parts[2] = folders
        printf '%s\n' $before(__fish_complete_directories $path)
      else
        printf '%s\n' $before(__fish_complete_path $path)
      end
    else
      printf '%s\n' $line
    end
  end
end

complete -c PROGRAM -e
complete -c PROGRAM -f -a '(__FUNCTION)'
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
