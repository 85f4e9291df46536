package io.github.distlock.docs.recipes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

@Service
class ReportJob {

	private final TenantReports reports;

	ReportJob(TenantReports reports) {
		this.reports = reports;
	}

	@Scheduled(cron = "0 0 3 * * *")
	public void run() {
		List<String> tenants = new ArrayList<>(List.of("ann", "bob", "eve"));
		Collections.shuffle(tenants); // each node begins with another one
		tenants.forEach(this.reports::create);
	}

}
