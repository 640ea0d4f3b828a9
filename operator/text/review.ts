export { shortened } from '../../functions/runtime/format.ts'

/** `79%` of the documents with a value are missing. */
export const missingShare = ({ before, missing }: Readonly<Record<'before' | 'missing', number>>) =>
  `${Math.round((missing * 100) / before)}%`
