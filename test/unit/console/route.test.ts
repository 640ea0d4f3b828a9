import { describe, expect, it } from 'vitest'
import { crumbsOf, links, parseRoute } from '../../../console/page/model/route.ts'

describe('a route of the console', () => {
  it.each([
    [links.overview(), { view: 'overview' }],
    ['', { view: 'overview' }],
    [links.entity('CL'), { view: 'entity', entity: 'CL' }],
    [links.run('CL', 'r'), { view: 'run', entity: 'CL', runId: 'r' }],
    [links.snapshots('CL'), { view: 'snapshots', entity: 'CL', runId: undefined }],
    [links.snapshot('CL', 'r'), { view: 'snapshots', entity: 'CL', runId: 'r' }],
    [links.document('CL', 'a/b #?%"'), { view: 'document', entity: 'CL', id: 'a/b #?%"' }],
    [links.changes('CL'), { view: 'changes', entity: 'CL', runId: undefined }],
    [links.changeSet('CL', 'r'), { view: 'changes', entity: 'CL', runId: 'r' }],
  ])('%s is read as what it links to', (hash, route) => expect(parseRoute(hash)).toEqual(route))

  it.each([
    '#/x',
    '#/entities',
    '#/entities/CL/x',
    '#/entities/CL/runs',
    '#/%E0%A4%A',
    '#/entities/CL/constructor/x',
    '#/entities/CL/runs/r/x',
  ])('%s does not exist', (hash) => expect(parseRoute(hash)).toEqual({ view: 'not-found' }))

  it('names what is above it', () => {
    const names = crumbsOf({ view: 'changes', entity: 'CL', runId: 'r' }).map(({ text }) => text)
    expect(names).toEqual(['Overview', 'CL', 'Changes', 'Change set'])
  })
})
