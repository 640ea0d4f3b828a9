import { CommandError, DamagedData } from '../errors.ts'

/** For `catch`: names `fix`, the command or action that resolves damaged data. Throws other errors as they are. */
export const explainDamage =
  ({ fix, note = '' }: { readonly fix: string; readonly note?: string }) =>
  (error: unknown): never => {
    throw error instanceof DamagedData ? new CommandError(`${error.message} ${note}`.trim(), { fix }) : error
  }
