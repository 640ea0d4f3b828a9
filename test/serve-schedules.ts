import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen, type Served } from '../local/embedded/listen.ts'

/** A schedule as the API of EventBridge Scheduler represents it. */
export type ApiSchedule = Readonly<Record<string, unknown>>

/** Serves GetSchedule, CreateSchedule and UpdateSchedule. An update replaces the schedule, as it does on AWS. */
export function serveSchedules(schedules: Map<string, ApiSchedule>): Promise<Served> {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.split(/[/?]/)[2] ?? '')
    const respond = async () => {
      const schedule = schedules.get(name)
      response.setHeader('Content-Type', 'application/json')
      if (request.method === 'POST' && !schedule) {
        const createdAt = Date.now() / 1000
        const created = (await json(request)) as ApiSchedule
        const times = { CreationDate: createdAt, LastModificationDate: createdAt }
        schedules.set(name, { GroupName: 'default', ...created, Name: name, ...times })
        response.end(JSON.stringify({ ScheduleArn: name }))
        return
      }
      if (!schedule) {
        response.writeHead(404, { 'x-amzn-errortype': 'ResourceNotFoundException' }).end('{}')
        return
      }
      if (request.method === 'PUT') {
        const { CreationDate } = schedule
        const update = (await json(request)) as ApiSchedule
        schedules.set(name, { ...update, Name: name, CreationDate, LastModificationDate: Date.now() / 1000 })
      }
      response.end(JSON.stringify(request.method === 'PUT' ? { ScheduleArn: name } : schedule))
    }
    respond().catch(() => response.destroy())
  })
  return listen(server)
}
