/** For `catch`: undefined in place of an error of these classes. Throws every other error. */
export const absentIf =
  (...types: readonly (abstract new (...input: never[]) => Error)[]) =>
  (error: unknown): undefined => {
    if (!types.some((type) => error instanceof type)) throw error
  }
