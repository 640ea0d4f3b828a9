/** One line of the doctor's report. A problem has the command or action that fixes it. */
export interface Finding {
  readonly level: 'ok' | 'note' | 'problem'
  readonly about: 'deployment' | 'drift' | 'credentials' | 'upstream' | 'schedules' | 'entities' | 'schema'
  readonly text: string
  readonly fix?: string
  /** The fix, if it is one command line. */
  readonly command?: string
}

/** The line that executes a command for the inspected deployment or local Longshore. */
export interface LongshoreFixes {
  readonly longshore: (words: string) => string
}

export interface FixCommands extends LongshoreFixes {
  readonly deploy: string
  /** For an account and region in which no stack exists. */
  readonly firstDeploy: string
}

type About = Finding['about']

export const ok = (about: About, text: string): Finding => ({ level: 'ok', about, text })
export const note = (about: About, text: string): Finding => ({ level: 'note', about, text })
export const problem = (about: About, text: string, fix: string): Finding => ({
  level: 'problem',
  about,
  text,
  fix,
})
/** A problem that one command line resolves. */
export const solvable = (about: About, text: string, command: string): Finding => ({
  ...problem(about, text, command),
  command,
})
