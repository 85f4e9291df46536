package io.github.distlock.backend.zookeeper;

import java.util.List;
import java.util.function.BiFunction;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What ZooKeeper tells without being asked, and what follows from it. Nothing here
 * blocks.
 */
final class ZooKeeperSignals implements ZooKeeperConnection.Events {

	private final ZooKeeperTickets places;

	private final PredecessorWatch standing = new PredecessorWatch(this::look);

	private final BiFunction<ZooKeeperTicket, TicketNode, Grant> grants;

	private volatile @Nullable LockSignals target;

	ZooKeeperSignals(ZooKeeperTickets places, BiFunction<ZooKeeperTicket, TicketNode, Grant> grants) {
		this.places = places;
		this.grants = grants;
	}

	PredecessorWatch standing() {
		return this.standing;
	}

	void to(@Nullable LockSignals signals) {
		this.target = signals;
	}

	/** The node before has gone: is it our turn? */
	private void look(ZooKeeperTicket place) {
		TicketNode node = place.node();
		if (node == null || place.isGivenUp()) {
			return;
		}
		this.standing.isFirst(place, node, true).whenComplete((first, failure) -> {
			LockSignals signals = this.target;
			if (signals == null) {
				return;
			}
			if (failure != null) {
				signals.lookAgain(place.ticket);
			}
			else if (first && place.hold()) {
				signals.granted(place.ticket, this.grants.apply(place, node));
			}
		});
	}

	@Override
	public void inDoubt() {
		LockSignals signals = this.target;
		if (signals != null) {
			List<Ticket> held = this.places.all().filter(ZooKeeperTicket::isHeld).map((place) -> place.ticket).toList();
			if (!held.isEmpty()) {
				signals.renewNow(held);
			}
		}
	}

	@Override
	public void stillConnected() {
		this.places.departAgain();
	}

	@Override
	public void connected(boolean anew) {
		if (anew) {
			this.standing.forgetAll();
		}
		this.places.departAgain();
		inDoubt();
		LockSignals signals = this.target;
		if (signals != null) {
			signals.lookAgainAll();
		}
	}

}
