import type { Option, Command as Parser } from 'commander'
import type { Command } from './command.ts'
import { createParser } from './parser.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

/** A script that completes commands, options, and the values of options with choices. Other values are files. */
export function completionScript(shell: (typeof shells)[number], commands: readonly Command[]): string {
  return scripts[shell](placesOf(createParser(commands)))
}

/** What can follow a part of a command's name. */
interface CompletionPlace {
  /** Empty, `credentials` or `credentials set`. */
  readonly words: string
  readonly commands: readonly Parser[]
  readonly options: readonly Option[]
}

function placesOf(parser: Parser, words = ''): CompletionPlace[] {
  const help = parser.createHelp()
  const options = [...help.visibleOptions(parser), ...help.visibleGlobalOptions(parser)]
  const next = parser.commands.flatMap((one) => placesOf(one, `${words} ${one.name()}`.trimStart()))
  return [{ words, commands: parser.commands, options }, ...next]
}

const scripts = {
  bash: (places: readonly CompletionPlace[]) => `_longshore() {
  local word place='' candidates=()
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    ${placeCase(places)}
  done
  ${candidatesCase(places, (name) => name)}
  COMPREPLY=($(compgen -W "\${candidates[*]}" -- "$current"))
}
complete -o default -F _longshore longshore`,

  zsh: (places: readonly CompletionPlace[]) => `_longshore() {
  local word place='' previous=\${words[CURRENT - 1]}
  local -a candidates
  for word in "\${(@)words[2,CURRENT - 1]}"; do
    ${placeCase(places)}
  done
  ${candidatesCase(places, (name, description) => quote(`${name}:${description}`))}
  if (( $#candidates )); then _describe longshore candidates; else _files; fi
}
compdef _longshore longshore`,

  fish: (places: readonly CompletionPlace[]) => `function __longshore_at
    set -l place ''
    for word in (commandline -opc)[2..]
        contains -- "$place $word" ${nextWords(places).join(' ')}
        and set place (string trim -- "$place $word")
    end
    test "$place" = "$argv[1]"
end
complete -c longshore -f
${places.flatMap(fishLines).join('\n')}`,
}

/** The words that lead from a place to the next one: `' credentials'` and `'credentials set'`. */
function nextWords(places: readonly CompletionPlace[]): string[] {
  return places.flatMap(({ words, commands }) => commands.map((one) => quote(`${words} ${one.name()}`)))
}

function placeCase(places: readonly CompletionPlace[]): string {
  return `case "$place $word" in ${nextWords(places).join(' | ')}) place="$place\${place:+ }$word" ;; esac`
}

/** Sets `candidates`: the choices after an option with a value, or else commands and options. */
function candidatesCase(
  places: readonly CompletionPlace[],
  item: (name: string, description: string) => string,
): string {
  const lines = places.flatMap(({ words, commands, options }) => [
    ...options
      .filter(({ required }) => required)
      .map((option) => {
        const names = [option.short, option.long].filter((name) => name !== undefined)
        const patterns = names.map((name) => quote(`${words}:${name}`)).join(' | ')
        return `${patterns}) candidates=(${option.argChoices?.join(' ') ?? ''}) ;;`
      }),
    `${quote(`${words}:`)}*) candidates=(${[
      ...commands.map((one) => item(one.name(), one.summary())),
      ...options.map(({ long = '', description }) => item(long, description)),
    ].join(' ')}) ;;`,
  ])
  return ['case "$place:$previous" in', ...lines.map((line) => `    ${line}`), '  esac'].join('\n')
}

function fishLines({ words, commands, options }: CompletionPlace): string[] {
  const start = `complete -c longshore -n ${quote(`__longshore_at ${quote(words)}`)}`
  return [
    ...commands.map((one) => `${start} -a ${one.name()} -d ${quote(one.summary())}`),
    ...options.map(({ short, long, required, argChoices, description }) => {
      const names = `-l ${long?.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`
      const value = argChoices ? `-x -a ${quote(argChoices.join(' '))}` : required ? '-r -F' : ''
      return `${start} ${names} ${value} -d ${quote(description)}`
    }),
  ]
}

/** For all three shells. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
