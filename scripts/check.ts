import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

interface Check {
  readonly about: string
  readonly program: string
  /** Whether the program reads what `npm run build` writes. */
  readonly built?: true
}

/** What `npm run check -- NAME` runs: checks with programs of their own, and what writes files from code. */
export const checks: Readonly<Record<string, Check>> = {
  'odd-times': { about: 'Run the unit tests at odd times, in odd time zones', program: 'test/odd-times.ts' },
  mutation: {
    about: 'Change the code in small ways and check that a test notices: FILE..., or --changed',
    program: 'test/mutation/run.ts',
  },
  checkov: { about: "Check the templates by checkov's rules", program: 'test/infra/checkov.ts', built: true },
  spark: { about: "Read a typed table with Spark and Iceberg's own library", program: 'test/spark/run.ts' },
  openapi: { about: 'Write docs/openapi.json', program: 'scripts/openapi.ts' },
  'cli-reference': {
    about: 'Write docs/cli.md and tables of other pages',
    program: 'scripts/cli-reference.ts',
  },
  diagram: { about: 'Render the diagrams of docs', program: 'scripts/diagram.ts' },
  upgrades: {
    about: 'Write the contract and a recording of this version',
    program: 'test/upgrades/write.ts',
  },
}

/** Runs the program in this process, as a script of package.json would. */
async function run(name: string, args: readonly string[]) {
  const check = checks[name]
  if (!check) {
    const rows = Object.entries(checks).map(([name, { about }]) => `  ${name.padEnd(15)} ${about}`)
    console.error(['Usage: npm run check -- NAME [ARGUMENTS]', '', ...rows].join('\n'))
    process.exitCode = 1
    return
  }
  const [program = '', ...rest] = [...(check.built ? ['scripts/built.ts'] : []), check.program, ...args]
  const file = resolve(join(import.meta.dirname, '..'), program)
  process.argv = [process.execPath, file, ...rest]
  await import(pathToFileURL(file).href)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = '', ...args] = process.argv.slice(2)
  await run(name, args)
}
