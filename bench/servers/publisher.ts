import { devNull } from 'node:os'
import { builtFile } from '../../local/built-function.ts'
import { createKillableFunction } from '../../local/thread/killable-function.ts'
import { functionEnvironment } from '../processes.ts'

/** The publisher in a thread, whose first invocation needs the variables with the services' endpoints. */
export function createPublisher() {
  const { handler } = createKillableFunction({
    file: builtFile('publisher').href,
    logFile: devNull,
    clock: new Float64Array(1),
  })
  return {
    handler,
    configure: (variables: Readonly<Record<string, string>>) => {
      const deployment = functionEnvironment('http://127.0.0.1', variables)
      Object.assign(process.env, deployment.variables)
      process.once('SIGTERM', () => {
        deployment[Symbol.dispose]()
        process.exit()
      })
    },
  }
}
