import type { DocumentsAnswer, ValueText } from '../../contract.ts'
import { plural } from './format.ts'

/** Behind the snapshot that readers see. */
export const publishedText = (runId: string, published: string | null) =>
  runId === published ? ' (published)' : ''

/** `Documents 51 to 100 of 1,000 documents on this page` */
export function documentsText({
  from,
  documents,
  pageDocuments,
}: Pick<DocumentsAnswer, 'from' | 'documents' | 'pageDocuments'>): string {
  return `Documents ${from + 1} to ${from + documents.length} of ${plural(pageDocuments, 'document')} on this page`
}

/** The id of a document as it is typed to find it: a string without its quotes. */
export function plainId({ text, length }: ValueText): string {
  if (text.length < length || !text.startsWith('"')) return text
  return String(JSON.parse(text))
}
