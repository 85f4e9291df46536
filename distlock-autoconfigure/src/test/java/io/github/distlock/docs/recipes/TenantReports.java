package io.github.distlock.docs.recipes;

import io.github.distlock.DistributedLock;
import io.github.distlock.OnFailure;
import io.github.distlock.docs.examples.ExampleTypes.ReportService;

import org.springframework.stereotype.Service;

@Service
class TenantReports {

	private final ReportService reports;

	TenantReports(ReportService reports) {
		this.reports = reports;
	}

	@DistributedLock(key = "'report-' + #tenant", waitTime = "0", onFailure = OnFailure.SKIP, minHold = "1m")
	public void create(String tenant) {
		this.reports.create(tenant);
	}

}
