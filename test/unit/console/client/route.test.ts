import { describe, expect, it } from 'vitest'
import type { Route } from '../../../../console/client/model/route.ts'
import { crumbsOf, links, parseRoute, sourceOf, titleOf } from '../../../../console/client/model/route.ts'

describe('a route of the console', () => {
  it.each([
    [links.overview(), { view: 'overview' }],
    ['', { view: 'overview' }],
    ['#entities/CL', { view: 'entity', entity: 'CL' }],
    [links.entity('CL'), { view: 'entity', entity: 'CL' }],
    [links.run('CL', 'r'), { view: 'run', entity: 'CL', runId: 'r' }],
    [links.evidence('CL', 'r'), { view: 'evidence', entity: 'CL', runId: 'r' }],
    [links.snapshots('CL'), { view: 'snapshots', entity: 'CL', runId: undefined }],
    [links.timeline(), { view: 'timeline', hours: 24 }],
    [links.timeline(1), { view: 'timeline', hours: 1 }],
    [links.timeline(6), { view: 'timeline', hours: 6 }],
    [links.timeline(168), { view: 'timeline', hours: 168 }],
    [links.snapshot('CL', 'r'), { view: 'snapshots', entity: 'CL', runId: 'r' }],
    [links.document('CL', 'a/b #?%"'), { view: 'document', entity: 'CL', id: 'a/b #?%"' }],
    [links.changes('CL'), { view: 'changes', entity: 'CL', runId: undefined }],
    [links.schema('CL'), { view: 'schema', entity: 'CL' }],
    [links.changeSet('CL', 'r'), { view: 'changes', entity: 'CL', runId: 'r' }],
  ])('%s is read as what it links to', (hash, route) => expect(parseRoute(hash)).toEqual(route))

  it.each([
    '#/x',
    '#/entities',
    '#/entities/CL/x',
    '#/entities/CL/schema/x',
    '#/x/CL',
    '#/entities/CL/runs',
    '#/entities/CL/documents',
    '#/entities/CL/evidence',
    '#/%E0%A4%A',
    '#/entities/CL/constructor/x',
    '#/entities/CL/runs/r/x',
    '#/entities/CL/compare/a/b',
    '#/timeline/8d',
    '#/timeline/24h',
    '#/timeline/7d/x',
  ])('%s does not exist', (hash) => expect(parseRoute(hash)).toEqual({ view: 'not-found' }))

  it.each<[route: Route, crumbs: string[], title: string]>([
    [{ view: 'overview' }, ['Overview #/'], 'Overview · Longshore'],
    [{ view: 'not-found' }, ['Overview #/'], 'Overview · Longshore'],
    [{ view: 'entity', entity: 'CL' }, ['Overview #/', 'CL #/entities/CL'], 'CL · Longshore'],
    [
      { view: 'run', entity: 'CL', runId: 'r' },
      ['Overview #/', 'CL #/entities/CL', 'Run #/entities/CL/runs/r'],
      'CL · Run · Longshore',
    ],
    [
      { view: 'evidence', entity: 'CL', runId: 'r' },
      ['Overview #/', 'CL #/entities/CL', 'Run #/entities/CL/runs/r', 'Evidence #/entities/CL/evidence/r'],
      'CL · Run · Evidence · Longshore',
    ],
    [
      { view: 'snapshots', entity: 'CL', runId: 'r' },
      ['Overview #/', 'CL #/entities/CL', 'Snapshots #/entities/CL/snapshots'],
      'CL · Snapshots · Longshore',
    ],
    [{ view: 'timeline', hours: 168 }, ['Overview #/', 'Timeline #/timeline/7d'], 'Timeline · Longshore'],
    [
      { view: 'document', entity: 'CL', id: 'a' },
      ['Overview #/', 'CL #/entities/CL', 'Document #/entities/CL/documents/a'],
      'CL · Document · Longshore',
    ],
    [
      { view: 'changes', entity: 'CL', runId: undefined },
      ['Overview #/', 'CL #/entities/CL', 'Changes #/entities/CL/changes'],
      'CL · Changes · Longshore',
    ],
    [
      { view: 'changes', entity: 'CL', runId: 'r' },
      [
        'Overview #/',
        'CL #/entities/CL',
        'Changes #/entities/CL/changes',
        'Change set #/entities/CL/changes/r',
      ],
      'CL · Changes · Change set · Longshore',
    ],
  ])('%j has what is above it, and a title', (route, crumbs, title) => {
    expect(crumbsOf(route).map(({ text, href }) => `${text} ${href}`)).toEqual(crumbs)
    expect(titleOf(route)).toBe(title)
  })
})

it('links a version of a document to where it comes from', () => {
  expect(sourceOf('CL', 'r')).toEqual({
    snapshot: { text: 'snapshot', href: '#/entities/CL/snapshots/r' },
    'change-set': { text: 'change set', href: '#/entities/CL/changes/r' },
    increment: { text: 'increment', href: '#/entities/CL/changes/r' },
  })
})
