// Runs after the example of docs/migrate.md, which defines throughLongshore. Prints what the clients returned.
import { JanusClient, MasterData } from '@vtex/api'
import { Logistics } from '@vtex/clients'

class Subscriptions extends JanusClient {
  patchGroup = (id, body) => this.http.patch(`/api/rns/subscriptions-group/${id}`, body)
  patch = (id, body) => this.http.patch(`/api/rns/subscriptions/${id}`, body)
}

const context = {
  account: 'my-shop',
  workspace: 'master',
  userAgent: 'an-app@1.0.0',
  authToken: 'a-token-of-the-platform',
  tracer: { isTraceSampled: false },
  logger: console,
}

const logistics = new Logistics(context, throughLongshore())
const subscriptions = new Subscriptions(context, throughLongshore())
const documents = new MasterData(context, throughLongshore('/api/dataentities'))

const dock = await logistics.getDockById('dock-1')
await subscriptions.patchGroup('group-1', { item: [{ sku: { id: '7' }, quantity: 2 }] })
await subscriptions.patch('subscription-1', { item: { quantity: 3 } })

const fields = ['id', 'email']
const sort = 'id ASC'
const pagination = { page: 2, pageSize: 40 }
const found = await documents.searchDocumentsWithPaginationInfo({
  dataEntity: 'CL',
  fields,
  sort,
  pagination,
})
const empty = await documents.searchDocuments({
  dataEntity: 'CL',
  fields,
  where: 'email=nobody@example.com',
  pagination: { page: 1, pageSize: 10 },
})

const scrolled = []
let mdToken
for (;;) {
  const page = await documents.scrollDocuments({ dataEntity: 'CL', fields, size: 30, mdToken })
  if (page.data.length === 0) break
  scrolled.push(...page.data)
  mdToken = page.mdToken ?? mdToken
}

console.log(JSON.stringify({ dock, found, empty, scrolled: scrolled.map(({ id }) => id) }))
