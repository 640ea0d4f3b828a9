import type { PlotData } from '../../../../console/client/model/plot-data.ts'

export const plot = (change: Partial<PlotData> = {}): PlotData => ({
  title: 'Documents',
  unit: 'count',
  times: [0, 60],
  values: [95, 97],
  marks: [],
  reference: undefined,
  ...change,
})
