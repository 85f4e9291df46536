package io.github.distlock.backend.redis;

import io.github.distlock.backend.LockSignals;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.NestedExceptionUtils;

/**
 * The server that has the inbox of this JVM. Publishes to the inbox, and reports its
 * failures.
 */
final class InboxServer implements InboxMonitor.Server {

	private static final Log logger = LogFactory.getLog(InboxServer.class);

	private static final String LOCKS_WORK = " Locks work; callers that wait for a lock of another JVM ask for it at"
			+ " intervals, which takes longer.";

	private final RedisConnections connections;

	private final String channel;

	private final RedisServerChecks checks;

	private final LockSignals signals;

	InboxServer(RedisConnections connections, String channel, RedisServerChecks checks, LockSignals signals) {
		this.connections = connections;
		this.channel = channel;
		this.checks = checks;
		this.signals = signals;
	}

	@Override
	public long publish(String text) {
		// First, so that nothing more is sent after the probe was received.
		this.checks.warnOfEvictionOnce();
		return this.connections.probe(text);
	}

	@Override
	public boolean isCountable() {
		return !this.connections.isCluster();
	}

	@Override
	public void subscriptionConfirmed() {
		this.signals.retryAll();
	}

	@Override
	public void messagesMayBeLost() {
		this.signals.requestsMayBeLost();
	}

	@Override
	public void receivedNothing(boolean renewed) {
		String server = this.connections.server().name();
		logger.warn("The inbox " + this.channel + " received nothing from " + server + ", although the server accepted"
				+ " messages for it, and is subscribed again "
				+ (renewed ? "on a new connection" : "when its connection ends, since the driver cannot end it earlier")
				+ ". Until then no lock is kept, and callers of this JVM that"
				+ " wait for a lock ask for it at intervals, which takes longer. If this is repeated, check whether a"
				+ " firewall, NAT gateway or load balancer drops idle connections");
		if (renewed) {
			this.signals.resubscribed(this.channel, server);
		}
	}

	/**
	 * Explain why a subscription failed: the cause, the remedy, and what does not work
	 * until then.
	 */
	String explain(Throwable failure) {
		RedisServer server = this.connections.server();
		if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof UnsupportedOperationException) {
			return server.name() + ": the driver cannot subscribe there." + LOCKS_WORK;
		}
		RedisFailure cause = RedisFailure.of(failure);
		if (cause.isAnswer() && failure instanceof RuntimeException refusal) {
			return this.checks.explainRefusal(refusal, "SUBSCRIBE").getMessage() + "." + LOCKS_WORK;
		}
		return cause.explain(server) + ". Until then no lock can be acquired.";
	}

}
