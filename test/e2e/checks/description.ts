import assert from 'node:assert/strict'
import type { Check } from '../check.ts'

export const descriptionChecks: Check[] = [
  {
    name: 'the OpenAPI document lists exactly the deployed routes, but the ones that refuse requests',
    async run({ callApi, account, deployment }) {
      const { status, json } = await callApi({ path: '/openapi.json' })
      assert.equal(status, 200)
      assert.match(json.openapi, /^3\.1\./)
      const described = Object.entries<object>(json.paths).flatMap(([path, operations]) =>
        Object.keys(operations)
          .filter((key) => /^(get|post|patch|put|delete)$/.test(key))
          .map((method) => `${method.toUpperCase()} ${path}`),
      )
      const routes = await account.listRoutes(new URL(deployment.apiUrl).hostname.split('.')[0] ?? '')
      const responding = routes.filter((route) => !route.endsWith('/{proxy+}'))
      assert.deepEqual(described.toSorted(), responding.toSorted())
    },
  },
]
