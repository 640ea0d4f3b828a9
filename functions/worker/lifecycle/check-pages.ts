import { createHash } from 'node:crypto'
import { mapPooled } from '../../runtime/map-pooled.ts'
import type { ManifestPage } from '../../state/snapshots/manifest.ts'
import type { AttemptContext } from '../context.ts'
import type { RunSession } from './session.ts'

const maxConcurrentReads = 8
/** Between two renewals of the lease. */
const batchPages = 64

/** A page as a manifest describes it, and the key under which it is stored. */
interface StoredPage {
  readonly page: ManifestPage
  readonly key: string
}

/** What is done with a page that is intact. */
type UsePage = (page: ManifestPage, body: Buffer, digest: Buffer) => Promise<void>

type PagesChecked =
  | { readonly kind: 'intact' | 'time-is-up' }
  | { readonly kind: 'damaged'; readonly reason: string }

/** Reads stored pages, and compares each with its manifest before it is used. */
export async function checkPages(
  { snapshots, now, invocation }: Pick<AttemptContext, 'snapshots' | 'now' | 'invocation'>,
  session: RunSession,
  { pages, use = async () => undefined }: { readonly pages: readonly StoredPage[]; readonly use?: UsePage },
): Promise<PagesChecked> {
  for (let at = 0; at < pages.length; at += batchPages) {
    if (now() >= invocation.handOffAt) return { kind: 'time-is-up' }
    const reasons = await mapPooled(
      pages.slice(at, at + batchPages),
      maxConcurrentReads,
      async ({ page, key }) => {
        const body = await snapshots.readPage(key)
        if (!body) return `The page ${key} of the snapshot is gone.`
        const digest = createHash('sha256').update(body).digest()
        if (digest.toString('hex') !== page.sha256) return `The page ${key} of the snapshot is damaged.`
        await use(page, body, digest)
        return undefined
      },
    )
    const reason = reasons.find((one) => one !== undefined)
    if (reason !== undefined) return { kind: 'damaged', reason }
    await session.renew()
  }
  return { kind: 'intact' }
}
