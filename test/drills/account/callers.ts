import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { drill } from '../drill.ts'
import { situation } from '../pages.ts'
import { type AccountDrill, inFolder, succeeds } from './world.ts'

const title = {
  notDeployed: 'longshore reports that Longshore is not deployed',
  credentials: 'longshore reports that the AWS credentials have expired, or cannot be loaded',
}

/** Callers of the API, and operators, with the wrong identity or region. */
export const callerDrills: AccountDrill[] = [
  drill('symptoms', '403 {"message":"Forbidden"}', async (world) => {
    const { stranger, caller } = world.context
    const request = { path: '/syncs' }
    assert.equal((await world.call({ ...request, as: stranger })).status, 403)
    assert.equal((await world.call({ ...request, as: 'nobody' })).status, 403)
    return async (operator) => {
      assert.match(situation('symptoms', '403 {"message":"Forbidden"}').text, /execute-api/)
      assert.equal((await operator.call({ ...request, as: caller })).status, 200)
    }
  }),
  drill('symptoms', title.notDeployed, async (world) => {
    const elsewhere = { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-1' }
    const { code, text } = await world.sh('npx --no-install longshore status', elsewhere)
    assert.equal(code, 1, text)
    assert.match(text, /eu-west-1/)
    return async (operator) => {
      assert.match(situation('symptoms', title.notDeployed).text, /AWS_REGION/)
      await succeeds(operator.sh('npx --no-install longshore status'))
    }
  }),
  drill('symptoms', title.credentials, async (world) => {
    const files = inFolder(world.context, 'aws-config')
    writeFileSync(files, '[profile expired]\nregion = us-east-1\n')
    const none = {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_CONFIG_FILE: files,
      AWS_PROFILE: 'expired',
    }
    const { code, text } = await world.sh('npx --no-install longshore status', none)
    assert.equal(code, 1, text)
    assert.match(text, /credentials/i)
    return async (operator) => {
      assert.match(situation('symptoms', title.credentials).text, /`AWS_PROFILE`/)
      writeFileSync(
        files,
        '[profile signed-in]\nregion = us-east-1\naws_access_key_id = test\naws_secret_access_key = test\n',
      )
      await succeeds(operator.sh('npx --no-install longshore status', { ...none, AWS_PROFILE: 'signed-in' }))
    }
  }),
]
