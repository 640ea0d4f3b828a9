import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pythonTools } from '../python-tools.ts'

/** Undefined without a usable Python 3. */
export const programs = await pythonTools('duckdb', new URL('duckdb-requirements.txt', import.meta.url))

/** The examples of a section, as they are documented. */
export function examplesOf(page: string, heading: string, language = 'sql'): string[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const [content = ''] = section.split('\n## ')
  const found = [...content.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
  const examples = found.flatMap(([, name, example = '']) => (name === language ? [example] : []))
  if (examples.length === 0) throw new Error(`${page} has no example for ${heading}.`)
  return examples
}

/** Runs a Python program in a folder that contains `copy/`, and parses its output as JSON. Warnings are errors. */
export async function python(program: string, cwd: string): Promise<unknown> {
  const args = ['-W', 'error', '-c', program]
  const { stdout } = await promisify(execFile)(join(programs ?? '', 'python'), args, { cwd })
  return JSON.parse(stdout)
}

/** Runs SQL statements in a folder that contains `copy/`, and returns the rows of the last one. */
export const duckdb = (statements: readonly string[], cwd: string): Promise<unknown> =>
  python(
    `
import duckdb, json
db = duckdb.connect()
for statement in ${JSON.stringify(statements)}: result = db.execute(statement)
print(json.dumps(result.fetchall()))`,
    cwd,
  )
