/**
 * The arguments of each command of longshore on a page: after `npx --no-install`, or at the start of a line of an example
 * if the page defines `longshore` as a function. The synopses of docs/cli.md are no commands.
 */
export const commandsOn = (text: string): string[] =>
  [...text.matchAll(/(?:npx --no-install longshore|^ *longshore(?!.*\[options\])) ([^`\n#|<>]+)/gm)].map(
    ([, words = '']) => words,
  )
