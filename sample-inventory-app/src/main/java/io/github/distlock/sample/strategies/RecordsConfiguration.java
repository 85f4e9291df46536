package io.github.distlock.sample.strategies;

import java.time.Clock;

import io.github.distlock.LockListener;
import io.github.distlock.lab.records.StockRecords;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Records what this node does, if {@code sample.node.records} names a file.
 */
@Configuration(proxyBeanMethods = false)
class RecordsConfiguration {

	@Bean
	StockRecords stockRecords(NodeProperties properties) {
		// The fault 'clock' is an error of the node's programs, not of the machine.
		return new StockRecords(properties.records(), Clock.systemUTC());
	}

	/**
	 * Records who waits for the locks of distlock, and their renewals.
	 */
	@Bean
	LockListener lockRecords(StockRecords records) {
		return new LockListener() {

			@Override
			public void onWaiting(Waiting event) {
				records.waiting(1);
			}

			@Override
			public void onWaitingEnded(Waiting event) {
				records.waiting(-1);
			}

			@Override
			public void onRenewed(Renewed event) {
				records.renewed();
			}

		};
	}

}
