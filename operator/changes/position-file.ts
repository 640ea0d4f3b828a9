import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { runIdPattern } from '../../functions/state/run/run.ts'
import { CommandError, readError } from '../errors.ts'
import { writeAtomically } from '../snapshot/atomic-file.ts'

const schema = v.object({
  version: v.literal(1),
  entity: v.string(),
  /** The run of the last change set that was printed completely. */
  runId: v.pipe(v.string(), v.regex(runIdPattern)),
})

/** The run after which to continue; undefined if the file does not exist. Throws `CommandError`. */
export async function readPositionFile(file: string, entity: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw readError(file, error)
  })
  if (text === undefined) return undefined
  const position = parse(text)
  const fix = 'name another file (--position), or delete it to begin again'
  if (!position)
    throw new CommandError(`${file} is not a position file of longshore changes --follow.`, { fix })
  if (position.entity === entity) return position.runId
  throw new CommandError(`${file} has a position in the changes of ${position.entity}, not of ${entity}.`, {
    fix,
  })
}

function parse(text: string): v.InferOutput<typeof schema> | undefined {
  try {
    return v.parse(schema, JSON.parse(text))
  } catch {
    return undefined
  }
}

export async function writePosition(
  file: string,
  position: { entity: string; runId: string },
): Promise<void> {
  await writeAtomically(file, (out) => out.write(`${JSON.stringify({ version: 1, ...position })}\n`))
}
