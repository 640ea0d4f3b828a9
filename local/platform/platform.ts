import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Area } from '../../functions/platform/areas.ts'
import { listen } from '../embedded/listen.ts'
import { type Answer, jsonBytes, refusal } from './answer.ts'
import { deliver, distort, hasEffect, isSilent } from './delivery.ts'
import type { DocumentSource } from './documents.ts'
import { createFaults, type Fault, type Faults } from './faults.ts'
import { type ReceivedRequest, receive } from './received-request.ts'
import { createScrolls, type ScrollBehaviour, usualScroll } from './scroll.ts'
import { answerSearch } from './search.ts'
import { patchGroup, patchSubscription, type SubscriptionGroup } from './subscriptions.ts'

/** A stand-in of the commerce platform, with all that is known of it in practice switchable at any time. */
export interface Platform {
  readonly url: string
  readonly headerPrefix: string
  readonly documents: Map<string, DocumentSource>
  /** The bytes of each dock. */
  readonly docks: Map<string, Buffer>
  readonly groups: Map<string, SubscriptionGroup>
  readonly subscriptions: Map<string, Record<string, unknown>>
  /** The pairs that are accepted now: push, splice or replace in place. */
  readonly credentials: AcceptedCredentials[]
  /** What an unknown pair is answered with. */
  rejectStatus: 401 | 403
  readonly scroll: ScrollBehaviour
  readonly faults: Faults
  /** Everything that was received, oldest first. */
  readonly requests: ReceivedRequest[]
  /** Every scroll token given so far is dead from now on. */
  expireTokens(): void
  /** Ends open and hanging requests too. */
  close(): Promise<void>
}

export interface AcceptedCredentials {
  readonly appKey: string
  readonly appToken: string
  /** The areas this key has rights to (403 elsewhere); all if not given. */
  readonly areas?: readonly Area[]
}

export interface PlatformOptions {
  readonly port?: number
  readonly headerPrefix?: string
  readonly documents?: Readonly<Record<string, DocumentSource>>
  readonly docks?: Readonly<Record<string, Buffer>>
  readonly groups?: Readonly<Record<string, SubscriptionGroup>>
  readonly subscriptions?: Readonly<Record<string, Record<string, unknown>>>
  readonly credentials?: readonly AcceptedCredentials[]
  readonly rejectStatus?: 401 | 403
  readonly scroll?: Partial<ScrollBehaviour>
}

export const localCredentials: AcceptedCredentials = { appKey: 'local-app-key', appToken: 'local-app-token' }

export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const server = createServer((message, response) => {
    serve(message, response).catch(() => response.destroy())
  })
  const served = await listen(server, options.port)
  const state = {
    url: served.endpoint,
    headerPrefix: options.headerPrefix ?? 'X-SVC',
    documents: new Map(Object.entries(options.documents ?? {})),
    docks: new Map(Object.entries(options.docks ?? {})),
    groups: new Map(Object.entries(options.groups ?? {})),
    subscriptions: new Map(Object.entries(options.subscriptions ?? {})),
    credentials: [...(options.credentials ?? [localCredentials])],
    rejectStatus: options.rejectStatus ?? 401,
    scroll: { ...usualScroll, ...options.scroll },
    faults: createFaults(),
    requests: [] as ReceivedRequest[],
  }
  const scrolls = createScrolls(state)
  const platform: Platform = Object.assign(state, {
    expireTokens: () => scrolls.expire(),
    close: () => served.close(),
  })

  async function serve(message: IncomingMessage, response: ServerResponse) {
    const request = await receive(message)
    platform.requests.push(request)
    const place = request.kind === 'scroll' ? scrolls.place(request) : undefined
    if (place) request.scroll = place
    const fault = platform.faults.strike(request)
    if (fault) request.fault = fault.kind
    const right = hasEffect(fault) ? answer(request, fault) : refusal(request.area, 500, 'Not done')
    const sent = distort(right, fault, request.area)
    if (!isSilent(fault)) request.status = sent.status
    await deliver(response, sent, fault)
  }

  function answer(request: ReceivedRequest, fault: Fault | undefined): Answer {
    if (request.kind === 'unknown') return refusal(undefined, 404, 'Not Found')
    const rejected = reject(request)
    if (rejected) return rejected
    switch (request.kind) {
      case 'dock': {
        const dock = platform.docks.get(request.name)
        return dock ? jsonBytes(dock) : refusal('logistics', 404, `Dock ${request.name} not found`)
      }
      case 'group':
        return patchGroup(platform.groups, request)
      case 'subscription':
        return patchSubscription(platform.subscriptions, request)
      case 'search':
        return answerSearch(platform, request, fault)
      case 'scroll':
        return scrolls.answer(request, fault)
    }
  }

  function reject(request: ReceivedRequest): Answer | undefined {
    const prefix = platform.headerPrefix.toLowerCase()
    const appKey = request.headers[`${prefix}-api-appkey`]
    const appToken = request.headers[`${prefix}-api-apptoken`]
    const known = platform.credentials.find((pair) => pair.appKey === appKey && pair.appToken === appToken)
    if (!known) return refusal(request.area, platform.rejectStatus, 'Access denied')
    const { area } = request
    if (!area || !known.areas || known.areas.includes(area)) return undefined
    return refusal(area, 403, 'This key has no rights to this area')
  }

  return platform
}
