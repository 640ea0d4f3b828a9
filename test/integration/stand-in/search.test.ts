import { describe, expect, it } from 'vitest'
import { onSearch } from '../../stand-in-faults.ts'
import { numbers, range, useStandIn } from './running-platform.ts'

const standIn = useStandIn()
const { start, call } = standIn

describe('a search', () => {
  const search = (resources?: string, query = '') =>
    call(`/api/dataentities/CL/search${query}`, resources ? { headers: { 'REST-Range': resources } } : {})

  it.each([
    ['resources=0-10', range(0, 10), 'resources=0-10/25'],
    ['resources=20-100', range(20, 25), 'resources=20-25/25'],
    [undefined, range(0, 10), 'resources=0-10/25'],
  ])('for %s', async (resources, expected, contentRange) => {
    await start()
    const got = await search(resources)
    expect(numbers(got)).toEqual(expected)
    expect(got.headers['rest-content-range']).toBe(contentRange)
  })

  it.each(['resources=0-101', 'resources=5-5', 'items=0-1', 'resources=10000-10001'])(
    'refuses %s',
    async (resources) => {
      await start()
      expect((await search(resources)).status).toBe(400)
    },
  )

  it.each([
    ['number>21 AND number<>23', [22, 24]],
    ['number between 3 AND 5', [3, 4, 5]],
    ['(number=1 OR number=2) AND (number>1)', [2]],
    ['email=client7@example.com OR number<1', [0, 7]],
    ['createdIn between 2020-01-01T00:20:00Z AND 2020-01-01T00:22:00Z', [20, 21]],
    ['updatedIn is not null', []],
    ['updatedIn is null AND number>23', [24]],
    ['name="Mary O’Neil" AND number<3', [1]],
  ])('selects by _where=%s', async (where, expected) => {
    await start()
    expect(numbers(await search('resources=0-100', `?_where=${encodeURIComponent(where)}`))).toEqual(expected)
  })

  it('refuses a _where that it cannot parse', async () => {
    await start()
    const got = await search(undefined, '?_where=number%3E')
    expect([got.status, String(got.body)]).toEqual([
      400,
      '{"Message":"Invalid _where: Unexpected text: end"}',
    ])
  })

  it('can ignore a filter, refuse it, or lag behind', async () => {
    await start()
    const filtered = () => search('resources=0-1', '?number=5')
    standIn.platform.faults.add({ match: onSearch(), fault: { kind: 'ignore-filter' } })
    expect((await filtered()).headers['rest-content-range']).toBe('resources=0-1/25')
    standIn.platform.faults.add({ match: onSearch(), fault: { kind: 'refuse-filter' } })
    const refused = await filtered()
    expect([refused.status, String(refused.body)]).toEqual([
      400,
      '{"Message":"Field \'number\' is not searchable"}',
    ])
    standIn.platform.faults.add({ match: onSearch(), fault: { kind: 'lag', documents: 3 } })
    expect((await search('resources=0-1')).headers['rest-content-range']).toBe('resources=0-1/22')
    expect((await filtered()).headers['rest-content-range']).toBe('resources=0-1/1')
  })
})
