export { type CheckPipelineOptions, type CheckReport, checkPipeline } from './check-pipeline.ts';
export { expectFailure, expectOk, expectOneEach } from './expectations.ts';
export { type FakeClock, fakeClock, type PendingTimer } from './fake-clock.ts';
export { type Fault, type FaultOptions, faults, withFaults } from './faults.ts';
export { type RecordOptions, type RecordSink, recordRun } from './record-run.ts';
export { type RecordedCall, type Recording, readRun } from './recording.ts';
export { type ReplayOptions, recordedApprover, replayRun } from './replay-run.ts';
export { type RecordedTools, replayTools } from './replay-tools.ts';
export { type StubAnswers, type StubCall, type StubTool, stubTool } from './stub-tool.ts';
