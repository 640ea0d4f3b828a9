/** A pulled file cannot be brought to the state at the tip, or would not be what the change set promises. */
export class CannotUpdate extends Error {
  override readonly name = 'CannotUpdate'
}
