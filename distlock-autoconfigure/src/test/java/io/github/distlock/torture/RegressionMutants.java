package io.github.distlock.torture;

import java.util.List;

import static io.github.distlock.torture.Mutant.java;
import static io.github.distlock.torture.Mutant.lua;

/**
 * Critical and high findings of reviews, as mutants.
 */
final class RegressionMutants {

	static final List<RegressionMutant> ALL = List.of(
			RegressionMutant.of(Mutant.of("error in sending leaves the command of its key in flight",
					java("engine/CommandSender.java", "catch (Throwable ex) { failure = StoreCalls.unwrap(ex); }",
							"catch (RuntimeException ex) { failure = StoreCalls.unwrap(ex); }"),
					java("engine/Effects.java",
							"boolean lost = this.ended ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS;",
							"boolean lost = false;")),
					"registry.ErrorRecoveryTests#aKeyIsUsableAfterAnErrorAtAnyStepOfAWait"),
			RegressionMutant.of(
					Mutant.of("lock handed off with tokens behind those of its grant",
							java("engine/HandOffLimits.java", "&& from.fencingToken() < from.lastToken", "")),
					"engine.KeyStateTests#theQueueDecides"),
			RegressionMutant.of(
					Mutant.of("nothing looks for the dead owner of a lock without a lease",
							java("engine/LeaseRenewal.java",
									"this.hold.hasView() ? Math.min(left, OWNER_CHECK_NANOS) : left", "left")),
					"backend.jdbc.H2ConnectionTests#theLockOfADeadThreadIsReleased"),
			RegressionMutant.of(
					Mutant.of("free lock recognised by the order of words", lua("attempt.lua",
							"string.byte(value) == TOMBSTONE and #value == #now + 1 and string.sub(value, 2) < now",
							"#value == #now + 1 and value < '|' .. now")),
					"backend.redis.CollatingScriptTests#aReaderKeepsAWriterOut"),
			RegressionMutant.of(
					Mutant.of("released lock taken for a lost one at the commit",
							java("transaction/CommitTerms.java", "|| lock.isReleased()", "")),
					"transaction.applications.OutlivedLockTests#workThatOutlivesALockThatWasReleasedCommits"),
			RegressionMutant.of(
					Mutant.of("locks wait for a connection that the application leaves",
							java("backend/jdbc/LockPool.java", "(this.own != null) ? this.own : this.application",
									"this.application")),
					"backend.jdbc.LeaseConnectionTests#locksWorkWhileTheCallersUseAllConnectionsOfTheApplication"),
			RegressionMutant.of(
					Mutant.of("ticket holds the lock by a node that an operator deleted",
							java("backend/zookeeper/ZooKeeperTicket.java",
									"if (this.node == first) { this.held = !this.abandoned; }"
											+ " return this.held && this.node == first;",
									"this.held = !this.abandoned; return this.held;")),
					"backend.zookeeper.ZooKeeperTicketTests#aTicketDoesNotHoldTheLockByANodeThatWasRemoved"),
			RegressionMutant.of(
					Mutant.of("threads inherit what is bound to a caller",
							java("thread/LockThreads.java", "task, \"distlock\", 0, false)",
									"task, \"distlock\", 0, true)")),
					"aop.CallerIdentityTests#theBodyOfAMonoDoesNotRunAsAnotherCaller"),
			RegressionMutant.of(Mutant.of("registry beans have the names of Spring Integration",
					java("autoconfigure/LockRegistryRegistrar.java",
							"\"distlock\" + StringUtils.capitalize(id) + \"LockRegistry\"", "id + \"LockRegistry\"")),
					"autoconfigure.NeighbourTests#theRegistriesOfSpringIntegrationAndShedLockKeepTheirNamesAndWork"));

	private RegressionMutants() {
	}

}
