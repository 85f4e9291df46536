package io.github.distlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Validity;

/**
 * Finds out whether nodes that are held still exist. Their locks need no renewal: this is
 * asked when the session was in doubt.
 */
final class HeldNodes {

	private static final RenewalResult GONE = new RenewalResult.Gone();

	private final ZooKeeperConnection link;

	private final ZooKeeperTickets places;

	private final int tokensPerGrant;

	HeldNodes(ZooKeeperConnection link, ZooKeeperTickets places, int tokensPerGrant) {
		this.link = link;
		this.places = places;
		this.tokensPerGrant = tokensPerGrant;
	}

	List<RenewalResult> renew(List<Renewal> renewals) {
		List<CompletableFuture<RenewalResult>> replies = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			replies.add(examine(renewal));
		}
		String what = "renewal of " + renewals.size() + " locks";
		try {
			this.link.await(CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new)), what);
		}
		catch (LockBackendException ex) {
			replies.forEach((reply) -> reply.complete(new RenewalResult.Unknown(ex)));
		}
		return replies.stream().map((reply) -> reply.getNow(GONE)).toList();
	}

	private CompletableFuture<RenewalResult> examine(Renewal renewal) {
		ZooKeeperTicket place = this.places.find(renewal.ticket());
		TicketNode node = (place != null && place.isHeld()) ? place.node() : null;
		if (place == null || node == null || renewal.lastToken() != place.grant(node, this.tokensPerGrant).lastToken()
				|| node.session().hasEnded()) {
			return CompletableFuture.completedFuture(GONE);
		}
		ZooKeeperSession session = node.session();
		return session.handle().stat(node.path()).handle((stat, failure) -> {
			if (failure != null) {
				return session.hasEnded() ? GONE : new RenewalResult.Unknown(
						this.link.failed("renewal of lock '" + place.ticket.key() + "'", failure));
			}
			return stat.isPresent() ? new RenewalResult.Renewed(Validity.session(session)) : GONE;
		});
	}

}
