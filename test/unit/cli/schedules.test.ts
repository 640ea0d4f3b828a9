import { createServer } from 'node:http'
import { SchedulerClient } from '@aws-sdk/client-scheduler'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scheduleReader } from '../../../cli/aws/schedules.aws.ts'
import { listen, type Served } from '../../../local/embedded/listen.ts'

let served: Served
beforeAll(async () => {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/schedules/cl')) {
      const schedule = {
        ScheduleExpression: 'rate(1 day)',
        State: 'ENABLED',
        Target: { Input: '{"entity":"CL"}' },
      }
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(schedule))
    } else {
      response.writeHead(404, { 'x-amzn-errortype': 'ResourceNotFoundException' }).end('{}')
    }
  })
  served = await listen(server)
})
afterAll(() => served.close())

const read = (id: string) => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  return scheduleReader(new SchedulerClient({ endpoint: served.endpoint, region: 'us-east-1', credentials }))(
    id,
  )
}

it('reads a schedule with the entity that it starts', async () => {
  expect(await read('default|cl')).toMatchObject({
    entity: 'CL',
    expression: 'rate(1 day)',
    timezone: 'UTC',
    enabled: true,
  })
})

it('returns nothing for a schedule that was deleted, so that the others can still be checked', async () => {
  expect(await read('gone')).toBeUndefined()
})
