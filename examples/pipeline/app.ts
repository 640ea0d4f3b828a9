import { App } from 'aws-cdk-lib'
import { createPipeline } from './pipeline.ts'

createPipeline(new App())
