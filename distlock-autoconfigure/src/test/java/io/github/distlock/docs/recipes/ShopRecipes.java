package io.github.distlock.docs.recipes;

import java.security.Principal;

import io.github.distlock.DistributedLock;
import io.github.distlock.OnFailure;
import io.github.distlock.docs.examples.Example;
import io.github.distlock.docs.examples.ExampleTypes.PaymentService;
import io.github.distlock.docs.examples.ExampleTypes.PriceService;
import io.github.distlock.docs.examples.ExampleTypes.Receipt;
import io.github.distlock.docs.examples.ExampleTypes.Report;
import io.github.distlock.docs.examples.ExampleTypes.ReportService;
import io.github.distlock.docs.examples.ExampleTypes.SearchIndex;
import io.github.distlock.docs.examples.ExampleTypes.SeatPlan;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * The recipes that are methods.
 */
class ShopRecipes extends Example {

	ShopRecipes(SeatPlan seats, PriceService prices, SearchIndex index, PaymentService payments,
			ReportService reports) {
		this.seats = seats;
		this.prices = prices;
		this.index = index;
		this.payments = payments;
		this.reports = reports;
	}

	@DistributedLock(key = "'seat-' + #show + '/' + #seat", waitTime = "2s")
	public void reserve(String show, int seat) {
		this.seats.reserve(show, seat);
	}

	@Scheduled(cron = "0 0 * * * *")
	@DistributedLock(key = "'publish-prices'", waitTime = "0", onFailure = OnFailure.SKIP, minHold = "1m")
	public void publishPrices() {
		this.prices.publish();
	}

	@DistributedLock(key = "'index-' + #tenant", waitTime = "0", onFailure = OnFailure.SKIP, minHold = "30s")
	public void refreshIndex(String tenant) {
		this.index.rebuild(tenant);
	}

	@DistributedLock(key = "'pay-' + #order", waitTime = "0", minHold = "5s")
	public Receipt pay(String order) {
		return this.payments.pay(order);
	}

	@DistributedLock(key = "'report-' + #user.name", waitTime = "0")
	public Report report(Principal user) {
		return this.reports.create(user.getName());
	}

	/**
	 * As an article of this shop.
	 */
	@OrderLock
	public void ship(String orderId) {
		this.payments.pay(orderId);
	}

}
