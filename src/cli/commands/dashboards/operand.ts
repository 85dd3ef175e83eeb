export const dashboardOperand = ['<dashboard>', 'id or name of the dashboard'] as const
