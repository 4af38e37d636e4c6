# What the site's administrators have told sacctmgr.
sacctmgr -i add qos debug set priority=1000 MaxJobsPerUser=1 MaxWall=30
sacctmgr -i add qos gpupart set GrpTRES=gres/gpu=10 MaxTRESPerUser=cpu=64
sacctmgr -i add qos low set GrpTRES=cpu=24
sacctmgr -i modify account root set qos=debug,gpupart,low,normal
sacctmgr -i add account physics fairshare=60 GrpTRES=cpu=160
sacctmgr -i add account bio fairshare=40 MaxJobs=3
sacctmgr -i add account astro parent=physics fairshare=10
sacctmgr -i add user anna account=physics fairshare=3
sacctmgr -i add user bob account=astro MaxTRESPerJob=node=2
sacctmgr -i add user carl account=bio fairshare=2
