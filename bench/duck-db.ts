import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pythonTools } from '../test/python-tools.ts'

/** The figures of a script in `peers` that uses DuckDB; undefined without Python. */
export async function duckDb<T>(script: string, args: readonly string[]): Promise<T | undefined> {
  const requirements = new URL('../test/readers/duckdb-requirements.txt', import.meta.url)
  const programs = await pythonTools('duckdb', requirements)
  if (!programs) return undefined
  const file = fileURLToPath(new URL(`peers/${script}`, import.meta.url))
  return JSON.parse(execFileSync(join(programs, 'python'), [file, ...args], { encoding: 'utf8' })) as T
}
