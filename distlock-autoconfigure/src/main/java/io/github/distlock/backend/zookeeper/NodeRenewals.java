package io.github.distlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;

/**
 * Finds out whether held nodes still exist. Their locks need no renewal: this is called
 * when the session was in doubt.
 */
final class NodeRenewals {

	private static final RenewalResult GONE = new RenewalResult.Gone();

	private final ZooKeeperConnection connection;

	private final ZooKeeperTickets tickets;

	private final int tokensPerGrant;

	NodeRenewals(ZooKeeperConnection connection, ZooKeeperTickets tickets, int tokensPerGrant) {
		this.connection = connection;
		this.tickets = tickets;
		this.tokensPerGrant = tokensPerGrant;
	}

	CompletableFuture<List<RenewalResult>> renew(List<Renewal> renewals) {
		List<CompletableFuture<RenewalResult>> replies = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			replies.add(renew(renewal));
		}
		return this.connection
			.limit(CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new)),
					"renewal of " + renewals.size() + " locks")
			.handle((all, failure) -> replies.stream()
				.map((reply) -> (failure == null || reply.isDone()) ? reply.join()
						: new RenewalResult.Unknown((LockBackendException) StoreCalls.unwrap(failure)))
				.toList());
	}

	private CompletableFuture<RenewalResult> renew(Renewal renewal) {
		ZooKeeperTicket ticket = this.tickets.find(renewal.ticket());
		TicketNode node = (ticket != null && ticket.isHeld()) ? ticket.node() : null;
		if (ticket == null || node == null || renewal.lastToken() != ticket.grant(node, this.tokensPerGrant).lastToken()
				|| node.session().hasEnded()) {
			return CompletableFuture.completedFuture(GONE);
		}
		ZooKeeperSession session = node.session();
		return session.commands()
			.stat(node.path())
			.<RenewalResult>thenApply(
					(stat) -> stat.isPresent() ? new RenewalResult.Extended(Validity.session(session)) : GONE)
			.exceptionally((failure) -> session.hasEnded() ? GONE : new RenewalResult.Unknown(this.connection
				.failed("renewal of lock '" + renewal.ticket().key() + "'", StoreCalls.unwrap(failure))));
	}

}
