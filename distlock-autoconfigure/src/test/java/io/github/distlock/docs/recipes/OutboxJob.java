package io.github.distlock.docs.recipes;

import io.github.distlock.DistributedLock;
import io.github.distlock.OnFailure;
import io.github.distlock.docs.examples.ExampleTypes.Broker;
import io.github.distlock.docs.examples.ExampleTypes.Outbox;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

@Service
class OutboxJob {

	private final Outbox outbox;

	private final Broker broker;

	OutboxJob(Outbox outbox, Broker broker) {
		this.outbox = outbox;
		this.broker = broker;
	}

	@Scheduled(fixedDelay = 1000)
	@DistributedLock(key = "'outbox'", waitTime = "0", onFailure = OnFailure.SKIP)
	public void send() {
		for (String message : this.outbox.unsent()) {
			this.broker.send(message);
			this.outbox.markAsSent(message);
		}
	}

}
