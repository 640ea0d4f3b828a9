import type { Chance } from '../simulation/chance.ts'

/** An HTTP request in text of which every character is one byte. */
export interface Request {
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: readonly string[]
  readonly body?: string
}

export function render({ method, target, version, headers, body }: Request): string {
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`]
  const start = [method, target, version].filter((part) => part !== '').join(' ')
  return `${[start, ...headers, ...length].join('\r\n')}\r\n\r\n${body ?? ''}`
}

export const docks = '/api/logistics/pvt/configuration/docks/'
export const paths = {
  dock: `${docks}dock-lisbon`,
  search: '/api/dataentities/CL/search',
  scroll: '/api/dataentities/CL/scroll',
  group: '/api/rns/subscriptions-group/group-1',
  subscription: '/api/rns/subscriptions/subscription-1',
}

export const request = (chance: Chance): Request => chance.pick([get, patch])(chance)

export function get(chance: Chance): Request {
  const target = chance.pick([
    paths.dock,
    `${paths.search}?_sort=id%20ASC&email=a%40b.c`,
    `${paths.scroll}?_size=10`,
    '/syncs',
    '/syncs/CL/snapshot',
    '/openapi.json',
    '/nowhere',
  ])
  return {
    method: 'GET',
    target,
    version: 'HTTP/1.1',
    headers: ['Host: localhost', 'REST-Range: resources=0-5'],
  }
}

export function patch(chance: Chance): Request {
  const [target, body] = chance.pick([
    [paths.subscription, '{"item":{"quantity":2}}'],
    [`${paths.group}?an=shop`, '{"item":[{"sku":{"id":"1"}}]}'],
  ] as const)
  const headers = ['Host: localhost', 'Content-Type: application/json']
  return { method: 'PATCH', target, version: 'HTTP/1.1', headers, body }
}
