import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { parseJson } from '../../functions/runtime/json-object.ts'
import { runIdPattern } from '../../stored/run/run.ts'
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
  const position = parseJson(text)
  const fix = 'name another file (--position), or delete it to begin again'
  if (!v.is(schema, position))
    throw new CommandError(`${file} is not a position file of longshore changes --follow.`, { fix })
  if (position.entity === entity) return position.runId
  throw new CommandError(`${file} has a position in the changes of ${position.entity}, not of ${entity}.`, {
    fix,
  })
}

interface Move {
  readonly entity: string
  /** What the file must still have; undefined if it must not exist. */
  readonly from: string | undefined
  readonly to: string
}

/** Stores the position. Throws `CommandError` if another program has changed the file. */
export async function movePosition(file: string, { entity, from, to }: Move): Promise<void> {
  const stored = await readPositionFile(file, entity)
  if (stored !== from) {
    const found = stored === undefined ? 'deleted the file' : `moved it to run ${stored}`
    throw new CommandError(
      `The position in ${file} was not moved to run ${to}, whose records were delivered: another program ${found}.`,
      { fix: `${ownPosition}, and begin again with the one that missed a set` },
    )
  }
  const position = { version: 1, entity, runId: to }
  await writeAtomically(file, (out) => out.write(`${JSON.stringify(position)}\n`))
}

export const ownPosition = 'give each program its own position: --position FILE'
