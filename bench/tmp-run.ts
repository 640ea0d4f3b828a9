import { fileURLToPath } from 'node:url'
import { syncOnce } from './sync.ts'

// WORKERS=name[:opts],...
const { DOCS = '200000', BYTES = '1024', DELAY = '0', REPEAT = '1', WORKERS = '', USUAL } = process.env
for (let i = 0; i < Number(REPEAT); i++) {
  for (const one of [...WORKERS.split(','), ...(USUAL ? ['usual'] : [])]) {
    const [name = '', opts] = one.split(':')
    process.env['WORKER_FILE'] = fileURLToPath(
      new URL(`../node_modules/.cache/v/${name}/handler.mjs`, import.meta.url),
    )
    const f = await syncOnce(
      (name === 'usual' ? name : 'tmp-worker') as 'worker',
      { documents: Number(DOCS), bytes: Number(BYTES), pageSize: 1000, delayMs: Number(DELAY) },
      { nodeOptions: opts ? opts.split(' ') : [] },
    )
    console.log(
      one.padEnd(40),
      DOCS,
      BYTES,
      `s ${f.seconds.toFixed(2)} cpu ${f.cpuSeconds.toFixed(2)} peak ${f.peakMegabytes.toFixed(0)}`,
    )
  }
}
