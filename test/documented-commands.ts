const places = [
  /npx --no-install longshore/,
  // The lines of an example on a page that defines `longshore` as a function.
  /^ *longshore/,
  // Within a text, a command with its argument; without one it is a name.
  /`longshore(?= [a-z-]+ [A-Z])/,
]

const command = new RegExp(`(?:${places.map(({ source }) => source).join('|')}) ([^\`\\n#|<>]+)`, 'gm')

/** The arguments of each command of longshore on a page. */
export const commandsOn = (text: string): string[] =>
  // Without the quotation mark at the end of a JSON string.
  [...text.matchAll(command)].map(([, words = '']) => words.replace(/^([^"]*)"$/, '$1'))

/** The commands of longshore that a page names within a text. */
export const namesOn = (text: string): string[] =>
  [...text.matchAll(/`longshore(?: --local)? ([a-z][a-z-]*(?: set)?)(?=[ `])/g)].map(([, name = '']) => name)
