package io.github.distlock.docs.recipes;

import io.github.distlock.DistributedLock;
import io.github.distlock.OnFailure;
import io.github.distlock.docs.examples.ExampleTypes.PriceService;
import io.github.distlock.docs.examples.ExampleTypes.ReportService;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class FirstAndLastWork {

	private final PriceService prices;

	private final ReportService reports;

	FirstAndLastWork(PriceService prices, ReportService reports) {
		this.prices = prices;
		this.reports = reports;
	}

	@EventListener(ApplicationReadyEvent.class)
	@DistributedLock(key = "'publish-prices'", waitTime = "0", onFailure = OnFailure.SKIP, minHold = "5m")
	public void publishPrices() {
		this.prices.publish();
	}

	@EventListener(ContextClosedEvent.class)
	@DistributedLock(key = "'last-report'", waitTime = "2s")
	public void createLastReport() {
		this.reports.create("shop");
	}

}
