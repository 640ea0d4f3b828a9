import type { TestProject } from './projects.ts'

/** A test file whose tests were skipped. */
export interface Skipped {
  readonly project: string
  /** From the root of the repository. */
  readonly file: string
  readonly tests: number
}

export interface TestRun {
  /** Every project that exists. */
  readonly projects: readonly TestProject[]
  /** The names of those that ran. */
  readonly ran: readonly string[]
  readonly skipped: readonly Skipped[]
}

/** The lines that report what a run of tests has left out, and why. */
export function leftOut({ projects, ran, skipped }: TestRun): string[] {
  const notRun = projects.filter(({ name }) => !ran.includes(name))
  const needOf = (project: string) => projects.find(({ name }) => name === project)?.needs
  return [
    ...(notRun.length > 0 ? ['Not run. `npm run test:all` runs it:'] : []),
    ...notRun.map(({ name, about }) => `  ${name.padEnd(13)} ${about}`),
    ...(notRun.length > 0 ? [`  ${'lint'.padEnd(13)} tsc, Biome, oxlint and knip`] : []),
    ...(skipped.length > 0 ? ['Skipped:'] : []),
    ...skipped.map(({ project, file, tests }) => {
      const need = needOf(project)
      return `  ${file}: ${tests} ${tests === 1 ? 'test' : 'tests'}${need === undefined ? '' : `. ${project} needs ${need}.`}`
    }),
  ]
}
