import { writeAtomically } from '../snapshot/atomic-file.ts'
import { wholeLines } from './whole-lines.ts'
import { type Update, type UpdatedContent, writeState } from './write-state.ts'

/**
 * Writes the file again with the pending changes: updated documents stay in their place, new ones are appended.
 * Returns what was written. Throws `CannotUpdate`, and then leaves the file unchanged.
 */
export const updateFile = (update: Update): Promise<UpdatedContent> =>
  writeAtomically(update.file, (out) => writeState(update, wholeLines(update.file), out))
