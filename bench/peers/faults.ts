import { type FaultRule, onScroll } from '../../local/stand-in/faults.ts'

/** What goes wrong once, in the first scroll of a program. */
export interface PeerFault {
  readonly name: string
  readonly rule: FaultRule
}

const page3 = onScroll({ scroll: 1, page: 3, request: 3 })
const firewallPage = '<html><body>Request blocked</body></html>'

const once = (name: string, fault: FaultRule['fault'], times = 1): PeerFault => ({
  name,
  rule: { match: times === 1 ? page3 : onScroll({ scroll: 1, page: 3 }), fault, times },
})

/** Faults of upstreams of this kind that were reported in public. */
export const peerFaults: readonly PeerFault[] = [
  once(
    '429 three times, with Retry-After',
    { kind: 'status', status: 429, headers: { 'Retry-After': '1' }, effect: 'before' },
    3,
  ),
  once('503 twice, without Retry-After', { kind: 'status', status: 503, effect: 'before' }, 2),
  once('503, and the cursor has moved', { kind: 'status', status: 503, effect: 'after' }),
  once('the connection breaks before the cursor moves', { kind: 'reset', effect: 'before' }),
  once('the connection breaks after the cursor has moved', { kind: 'reset', effect: 'after' }),
  once('a page is cut off', { kind: 'cut', part: 0.5, framing: 'length' }),
  once('a page is cut off, without a length', { kind: 'cut', part: 0.5, framing: 'close' }),
  once('a page of HTML with 200', { kind: 'html', effect: 'after' }),
  once("a firewall's 403 page", {
    kind: 'status',
    status: 403,
    headers: { 'Content-Type': 'text/html' },
    body: firewallPage,
    effect: 'before',
  }),
  once('the token expires', { kind: 'expire-token' }),
  once('the previous page again', { kind: 'repeat-page' }),
  once('the previous page in place of the one due', { kind: 'repeat-page', lose: true }),
  once('a page is left out', { kind: 'skip-page' }),
  once('an empty page, and the cursor stays', { kind: 'end', cursor: 'stays' }),
  once('an empty page, and the cursor moves', { kind: 'end', cursor: 'moves' }),
  once('documents are missing in a page', { kind: 'page', change: (documents) => documents.slice(0, 60) }),
  {
    name: 'the scroll begins again in place of its end',
    rule: { match: onScroll({ scroll: 1, request: 1 }), fault: { kind: 'endless' } },
  },
]
